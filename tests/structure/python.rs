//! The Python package: its rooms, the size of its folders, and where it is `unsafe`. The limits of
//! files are in `layering`.

use crate::imports;
use crate::sources;
use std::collections::BTreeMap;
use std::path::Path;

/// The rooms: each uses those before it alone, and the files beside them.
const ROOMS: &[&str] = &["settings", "arrow", "calls", "sets"];

/// The most files of a folder.
const FILES_MAX: usize = 20;

#[test]
fn rooms_use_those_before_them() {
    let place = |path: &Path| match path.parent()?.to_str()? {
        "" if path != Path::new("lib.rs") => Some(0),
        room => ROOMS
            .iter()
            .position(|known| *known == room)
            .map(|at| at + 1),
    };
    let files = sources::files_of_python();
    for room in ROOMS {
        assert!(
            files.iter().any(|file| file.module == *room),
            "no files in {room}"
        );
    }
    for (from, imports) in imports::graph(&files) {
        for (to, name) in imports {
            if let (Some(room), Some(used)) = (place(&from), place(&to)) {
                assert!(used <= room, "{} uses {name}", from.display());
            }
        }
    }
}

#[test]
fn folders_are_small() {
    let mut folders: BTreeMap<_, usize> = BTreeMap::new();
    for file in sources::files_of_python() {
        *folders
            .entry(file.path.parent().unwrap().to_owned())
            .or_default() += 1;
    }
    for (folder, files) in folders {
        assert!(files <= FILES_MAX, "{}: {files} files", folder.display());
    }
}

#[test]
fn unsafe_stands_in_the_boundary_alone() {
    for file in sources::files_of_python() {
        let is_unsafe = file.code.contains("unsafe {") || file.code.contains("unsafe fn");
        assert!(
            !is_unsafe || file.path == Path::new("boundary.rs"),
            "{}: unsafe",
            file.path.display()
        );
    }
}
