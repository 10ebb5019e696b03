//! The fields of a JSON record as JSON Schema (draft 2020-12).

use super::fields::{FIELDS, Field, FieldKind, OBJECTS};
use super::object::Object;
use crate::item::Problem;

/// Appends the JSON Schema of a record, and a line feed.
///
/// ```
/// let mut out = Vec::new();
/// urisieve::output::push_schema(&mut out);
/// assert!(out.starts_with(br#"{"$schema":"https://json-schema.org/draft/2020-12/schema""#));
/// ```
pub fn push_schema(out: &mut Vec<u8>) {
    let mut schema = Object::new(out);
    schema.string("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.string("title", "A URI found by urisieve");
    schema.string("type", "object");
    let mut properties = schema.nested("properties");
    for fields in FIELDS.chunk_by(|a, b| a.path.0.is_some() && a.path.0 == b.path.0) {
        match fields[0].path {
            (Some(object), _) => push_object(object, fields, &mut properties),
            (None, _) => push_field(&fields[0], &mut properties),
        }
    }
    properties.close();
    let always = FIELDS.iter().filter(|field| field.always);
    schema.list("required", always.map(|field| field.name));
    schema.end();
}

/// The fields of an object in the record.
fn push_object(name: &str, fields: &[Field], properties: &mut Object) {
    let mut property = properties.nested(name);
    let meaning = OBJECTS.iter().find(|(object, _)| *object == name);
    property.optional(
        "description",
        meaning.map(|(_, meaning)| meaning.as_bytes()),
    );
    property.string("type", "object");
    let mut inner = property.nested("properties");
    for field in fields {
        push_field(field, &mut inner);
    }
    inner.close();
    property.close();
}

fn push_field(field: &Field, properties: &mut Object) {
    let mut property = properties.nested(field.path.1);
    property.string("description", field.meaning);
    push_kind(field.kind, &mut property);
    property.close();
}

fn push_kind(kind: FieldKind, property: &mut Object) {
    match kind {
        FieldKind::Text => property.string("type", "string"),
        FieldKind::Number => {
            property.string("type", "integer");
            property.number("minimum", 0);
        }
        FieldKind::Flag => property.string("type", "boolean"),
        FieldKind::Problems => {
            property.string("type", "array");
            let mut items = property.nested("items");
            items.list("enum", Problem::ALL.iter().map(|p| p.code()));
            items.close();
        }
        FieldKind::Texts => {
            property.string("type", "array");
            let mut items = property.nested("items");
            items.string("type", "string");
            items.close();
        }
        FieldKind::Spellings => {
            property.string("type", "array");
            let mut items = property.nested("items");
            items.string("type", "object");
            push_spelling(&mut items);
            items.close();
        }
    }
}

/// The keys of a spelling.
fn push_spelling(items: &mut Object) {
    let mut keys = items.nested("properties");
    for (name, kind) in [
        ("original", FieldKind::Text),
        ("original_b64", FieldKind::Text),
        ("count", FieldKind::Number),
    ] {
        let mut key = keys.nested(name);
        push_kind(kind, &mut key);
        key.close();
    }
    let mut steps = keys.nested("steps");
    steps.string("type", "array");
    let mut step = steps.nested("items");
    step.string("type", "object");
    let mut parts = step.nested("properties");
    for name in ["name", "section"] {
        let mut part = parts.nested(name);
        push_kind(FieldKind::Text, &mut part);
        part.close();
    }
    parts.close();
    step.close();
    steps.close();
    keys.close();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_json_and_has_every_field() {
        let mut out = Vec::new();
        push_schema(&mut out);
        let schema: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(schema["properties"]["offset"]["type"], "integer");
        assert_eq!(schema["required"][0], "uri");
        for field in FIELDS {
            let properties = match field.path.0 {
                None => &schema["properties"],
                Some(object) => {
                    assert!(
                        schema["properties"][object]["description"].is_string(),
                        "{object}"
                    );
                    &schema["properties"][object]["properties"]
                }
            };
            assert_eq!(properties[field.path.1]["description"], field.meaning);
        }
    }
}
