//! The graph of imports between source files, and its circles. A name that a folder
//! re-exports belongs to the file that defines it, so that `use super::Name` points at
//! that file.

use crate::sources::{Kind, Source, Token, folder, tokens};
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::path::{Path, PathBuf};

/// Which file names what of which other: `graph[from][to]` is one such name.
pub type Graph = BTreeMap<PathBuf, BTreeMap<PathBuf, String>>;

/// The two roots: the program is a crate of its own, with `cli` in it.
const LIBRARY: usize = 0;
const PROGRAM: usize = 1;

/// The imports that one path goes through, and the module that it is written in.
struct Seen {
    imports: HashSet<(usize, usize)>,
    reader: usize,
}

impl Seen {
    fn new(reader: usize) -> Seen {
        let imports = HashSet::new();
        Seen { imports, reader }
    }
}

#[derive(Default)]
struct Module {
    file: PathBuf,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    items: BTreeSet<String>,
    imports: Vec<Import>,
    /// Paths in code, and the words that stand alone.
    paths: BTreeSet<Vec<String>>,
    words: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq)]
struct Import {
    path: Vec<String>,
    /// The name that it has here; none after `*`.
    name: Option<String>,
    /// It is passed on.
    public: bool,
}

struct Tree(Vec<Module>);

/// The imports between `sources`.
pub fn graph(sources: &[Source]) -> Graph {
    let mut tree = Tree(vec![Module::default(), Module::default()]);
    for source in sources {
        let module = tree.place(&source.path);
        tree.0[module].file = source.path.clone();
        tree.fill(module, &tokens(&source.code));
    }
    let mut graph = Graph::new();
    for (number, module) in tree.0.iter().enumerate() {
        let imports = module.imports.iter().filter(|import| {
            let used = |name| module.words.contains(name);
            !import.public || import.name.as_ref().is_none_or(used)
        });
        let imports = imports.map(|import| &import.path);
        for path in imports.chain(&module.paths) {
            for target in tree.resolve(number, path, &mut Seen::new(number)) {
                let file = &tree.0[target].file;
                if *file != module.file {
                    let names = graph.entry(module.file.clone()).or_default();
                    names.entry(file.clone()).or_insert(path.join("::"));
                }
            }
        }
    }
    graph
}

impl Tree {
    /// The module of the file at `path`.
    fn place(&mut self, path: &Path) -> usize {
        let is_program = path.starts_with("main.rs") || path.starts_with("cli");
        let mut module = if is_program { PROGRAM } else { LIBRARY };
        for name in &folder(path) {
            module = self.child(module, name.to_str().unwrap());
        }
        module
    }

    fn child(&mut self, parent: usize, name: &str) -> usize {
        let new = self.0.len();
        let children = &mut self.0[parent].children;
        let child = *children.entry(name.to_owned()).or_insert(new);
        if child == new {
            self.0.push(Module {
                file: self.0[parent].file.clone(),
                parent: Some(parent),
                ..Module::default()
            });
        }
        child
    }

    /// Reads items, imports and paths; a module with a body is one of its own.
    fn fill(&mut self, module: usize, tokens: &[Token<'_>]) {
        const ITEMS: &[&str] = &[
            "fn", "struct", "enum", "union", "trait", "type", "const", "static",
        ];
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
        let mut depth = 0;
        let mut at = 0;
        while at < tokens.len() {
            let word = tokens[at].text;
            match word {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth -= 1,
                // Not `use<'a>` in a type.
                "use" if text(at + 1) != "<" => {
                    let len = tokens[at..].iter().take_while(|t| t.text != ";").count();
                    let public = at > 0 && ["pub", ")"].contains(&text(at - 1));
                    let mut tree = &tokens[at + 1..at + len];
                    import(&mut tree, &[], public, &mut self.0[module].imports);
                    at += len;
                    continue;
                }
                "mod" if text(at + 2) == "{" => {
                    let body = at + 3;
                    let len = group(&tokens[body..]);
                    let child = self.child(module, text(at + 1));
                    self.fill(child, &tokens[body..body + len]);
                    at = body + len + 1;
                    continue;
                }
                // The path of a visibility.
                "pub" if text(at + 1) == "(" => {
                    at += 2 + group(&tokens[at + 2..]) + 1;
                    continue;
                }
                _ if depth == 0 && ITEMS.contains(&word) => {
                    self.0[module].items.insert(text(at + 1).to_owned());
                }
                _ => {}
            }
            let part_of_another = at > 0 && ["::", "."].contains(&text(at - 1));
            if tokens[at].kind == Kind::Word && !part_of_another {
                let mut path = vec![word.to_owned()];
                while text(at + 1) == "::" && tokens[at + 2].kind == Kind::Word {
                    path.push(text(at + 2).to_owned());
                    at += 2;
                }
                if path.len() > 1 {
                    self.0[module].words.insert(path[0].clone());
                    self.0[module].paths.insert(path);
                } else if at == 0 || !["fn", "mod"].contains(&text(at - 1)) {
                    self.0[module].words.insert(word.to_owned());
                }
            }
            at += 1;
        }
    }

    /// The modules that define what `path` names, as it is read in `module`; none
    /// if it comes from outside or is a module itself.
    fn resolve(&self, module: usize, path: &[String], seen: &mut Seen) -> Vec<usize> {
        let (mut from, mut rest) = (module, path);
        while let [first, tail @ ..] = rest {
            let is_first = rest.len() == path.len();
            from = match &first[..] {
                "super" => self.0[from].parent.unwrap(),
                "self" if is_first => from,
                "crate" if is_first => self.root(from),
                "urisieve" if is_first && self.root(from) == PROGRAM => LIBRARY,
                _ => return self.step(from, rest, !is_first, seen),
            };
            rest = tail;
        }
        Vec::new()
    }

    /// What `rest` names in `module`. Where `inside` is false, it may come from
    /// outside; else a macro made what is not found.
    fn step(&self, module: usize, rest: &[String], inside: bool, seen: &mut Seen) -> Vec<usize> {
        let Some((first, tail)) = rest.split_first() else {
            return Vec::new();
        };
        let here = &self.0[module];
        let child = here.children.get(first).copied();
        // Only a module goes on after `::`, and only it hides a function of its name.
        if let Some(child) = child.filter(|_| !tail.is_empty()) {
            return self.step(child, tail, true, seen);
        }
        let mut is_known = child.is_some();
        let mut found = Vec::new();
        if here.items.contains(first) {
            is_known = true;
            found.push(module);
        }
        for (number, import) in here.imports.iter().enumerate() {
            let path = match (&import.name, &import.path[..]) {
                (Some(name), path) if name == first => [path, tail].concat(),
                (None, [path @ .., _]) => [path, rest].concat(),
                _ => continue,
            };
            // `use memchr::memchr` names itself.
            if seen.imports.insert((module, number)) {
                is_known |= import.name.is_some();
                let behind = self.resolve(module, &path, seen);
                // Who names a folder uses what stands in it, not only what it shows.
                if import.public && !behind.is_empty() && !self.is_above(module, seen.reader) {
                    found.push(module);
                }
                found.extend(behind);
            }
        }
        if !is_known && found.is_empty() && inside {
            found.push(module);
        }
        found
    }

    /// Whether `module` is `inner` or contains it.
    fn is_above(&self, module: usize, inner: usize) -> bool {
        let mut inner = Some(inner);
        while inner.is_some_and(|inner| inner != module) {
            inner = inner.and_then(|inner| self.0[inner].parent);
        }
        inner.is_some()
    }

    fn root(&self, mut module: usize) -> usize {
        while let Some(parent) = self.0[module].parent {
            module = parent;
        }
        module
    }
}

/// Adds what the tree of a `use` brings in.
fn import(tree: &mut &[Token<'_>], prefix: &[String], public: bool, imports: &mut Vec<Import>) {
    let mut path = prefix.to_vec();
    while let [first, rest @ ..] = *tree {
        *tree = rest;
        match first.text {
            "::" => {}
            "{" => {
                while let [next, ..] = *tree {
                    match next.text {
                        "}" | "," => *tree = &tree[1..],
                        _ => import(tree, &path, public, imports),
                    }
                    if next.text == "}" {
                        break;
                    }
                }
                return;
            }
            "self" if !path.is_empty() => break,
            word => {
                path.push(word.to_owned());
                if tree.first().is_none_or(|next| next.text != "::") {
                    break;
                }
            }
        }
    }
    let mut name = path.last().filter(|name| *name != "*").cloned();
    if let [marker, new, rest @ ..] = *tree
        && marker.text == "as"
    {
        name = Some(new.text.to_owned());
        *tree = rest;
    }
    imports.push(Import { path, name, public });
}

/// How many tokens there are before the bracket that closes this group.
fn group(tokens: &[Token<'_>]) -> usize {
    let mut depth = 0;
    let inside = tokens.iter().take_while(|token| {
        match token.text {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        depth >= 0
    });
    inside.count()
}

/// The shortest circle through each file that lies on one; each begins at the
/// first of its files.
pub fn circles(graph: &Graph) -> BTreeSet<Vec<PathBuf>> {
    let mut circles = BTreeSet::new();
    for start in graph.keys() {
        let mut before: BTreeMap<&Path, &Path> = BTreeMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(file) = queue.pop_front() {
            for next in graph.get(file).into_iter().flat_map(BTreeMap::keys) {
                if !before.contains_key(&**next) {
                    before.insert(next, file);
                    queue.push_back(next);
                }
            }
        }
        if !before.contains_key(&**start) {
            continue;
        }
        let mut circle = vec![before[&**start].to_owned()];
        while circle[0] != *start {
            circle.insert(0, before[&*circle[0]].to_owned());
        }
        let first = circle.iter().enumerate().min_by_key(|(_, file)| *file);
        let first = first.map_or(0, |(at, _)| at);
        circle.rotate_left(first);
        circles.insert(circle);
    }
    circles
}

/// The files of a circle in order, one a line, each with the name that it takes
/// from the next.
pub fn shown(circle: &[PathBuf], graph: &Graph) -> String {
    let nexts = circle.iter().cycle().skip(1);
    let arrows = circle.iter().zip(nexts).map(|(file, next)| {
        let name = &graph[file][next];
        format!("  {} -> {} ({name})\n", file.display(), next.display())
    });
    arrows.collect()
}
