//! Tables that say what they are by a key `kind`.

use toml::de::ValueDeserializer;

/// An enumeration written as a table with a key `kind`, each kind with keys of its own.
///
/// `serde` buffers such a table to look for `kind`, and an error inside it loses its place. [`Tagged::probe`] reads
/// one kind's keys again, straight from the document, so that the error gets its line and key back.
pub(super) trait Tagged {
    /// Reads the keys of one kind; the error that this gives, if it gives one.
    fn probe(kind: &str, keys: ValueDeserializer<'_>) -> Option<serde_path_to_error::Error<toml::de::Error>>;
}

/// Declares an enumeration of [`Tagged`] tables: `"name" => Variant(Keys)`.
macro_rules! tagged {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[$vmeta:meta])* $kind:literal => $variant:ident($keys:ty), )+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "kind")]
        pub enum $name {
            $( $(#[$vmeta])* #[serde(rename = $kind)] $variant($keys), )+
        }

        impl $crate::scene::tagged::Tagged for $name {
            fn probe(
                kind: &str,
                keys: toml::de::ValueDeserializer<'_>,
            ) -> Option<serde_path_to_error::Error<toml::de::Error>> {
                match kind {
                    $( $kind => serde_path_to_error::deserialize::<_, $keys>(keys).err(), )+
                    _ => None,
                }
            }
        }
    };
}

pub(super) use tagged;
