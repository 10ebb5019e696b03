//! The types of texts in Arrow: strings and binary, of any width.

use arrow_schema::DataType;

/// A type of texts in Arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextType {
    String,
    LargeString,
    StringView,
    Binary,
    LargeBinary,
    BinaryView,
}

fn is_dictionary(kind: &DataType) -> bool {
    matches!(kind, DataType::Dictionary(..))
}

impl TextType {
    /// Returns the type of the texts of an array of `kind`, which may be a dictionary; `None` when
    /// its values are not texts.
    pub(super) fn of(kind: &DataType) -> Option<TextType> {
        Some(match kind {
            // An array of nulls may be of any type.
            DataType::Utf8 | DataType::Null => TextType::String,
            DataType::LargeUtf8 => TextType::LargeString,
            DataType::Utf8View => TextType::StringView,
            DataType::Binary => TextType::Binary,
            DataType::LargeBinary => TextType::LargeBinary,
            DataType::BinaryView => TextType::BinaryView,
            DataType::Dictionary(_, values) if !is_dictionary(values) => {
                return TextType::of(values);
            }
            _ => return None,
        })
    }

    pub(crate) fn is_strings(self) -> bool {
        matches!(
            self,
            TextType::String | TextType::LargeString | TextType::StringView
        )
    }

    pub(crate) fn data_type(self) -> DataType {
        match self {
            TextType::String => DataType::Utf8,
            TextType::LargeString => DataType::LargeUtf8,
            TextType::StringView => DataType::Utf8View,
            TextType::Binary => DataType::Binary,
            TextType::LargeBinary => DataType::LargeBinary,
            TextType::BinaryView => DataType::BinaryView,
        }
    }
}
