//! `cargo run -p interface` prints the public interface of the three crates: every exported item with its fields or
//! variants, its public functions and the traits that it implements, without documentation and bodies.
//!
//! Read from the sources: what `lib.rs` exports by name, and wherever that is defined and implemented. What macros and
//! derives write is not seen, besides the `derive` itself.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    fs,
    path::{Path, PathBuf},
};
use syn::{Attribute, Fields, ImplItem, Item, ItemImpl, TraitItem, Type, UseTree, Visibility};

const CRATES: [&str; 3] = ["narrowphase", "bvh", "world"];

/// What a crate exports: the definition of each name, then its functions and traits.
type Interface = BTreeMap<String, Vec<Item>>;

fn main() -> Result<(), Box<dyn Error>> {
    for name in CRATES {
        println!("// ==== cullide-{name}\n");
        for items in interface(name)?.into_values() {
            println!("{}", print(items));
        }
    }
    Ok(())
}

fn interface(name: &str) -> Result<Interface, Box<dyn Error>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates").join(name).join("src");
    let root = syn::parse_file(&fs::read_to_string(source.join("lib.rs"))?)?;
    let mut exported = BTreeSet::new();
    for item in &root.items {
        if let Item::Use(item) = item
            && matches!(item.vis, Visibility::Public(_))
        {
            names(&item.tree, &mut exported);
        }
    }
    let mut interface = Interface::new();
    for file in files(&source)? {
        let parsed =
            syn::parse_file(&fs::read_to_string(&file)?).map_err(|error| format!("{}: {error}", file.display()))?;
        collect(parsed.items, &exported, &mut interface);
    }
    Ok(interface)
}

/// The names that a `pub use` makes public.
fn names(tree: &UseTree, found: &mut BTreeSet<String>) {
    match tree {
        UseTree::Path(path) => names(&path.tree, found),
        UseTree::Group(group) => group.items.iter().for_each(|tree| names(tree, found)),
        UseTree::Name(name) => _ = found.insert(name.ident.to_string()),
        UseTree::Rename(_) | UseTree::Glob(_) => {}
    }
}

/// All sources in and below a folder, in order.
fn files(folder: &Path) -> Result<Vec<PathBuf>, std::io::Error> {
    let mut entries =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    entries.sort();
    let mut found = Vec::new();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(found)
}

/// Adds what belongs to the exported names.
fn collect(items: Vec<Item>, exported: &BTreeSet<String>, interface: &mut Interface) {
    for mut item in items {
        let name = match &mut item {
            Item::Mod(inner) => {
                let is_test = inner.attrs.iter().any(|attribute| attribute.path().is_ident("cfg"));
                if let (false, Some((_, items))) = (is_test, inner.content.take()) {
                    collect(items, exported, interface);
                }
                continue;
            }
            Item::Impl(item) => strip_impl(item),
            Item::Struct(item) => {
                strip(&mut item.attrs);
                strip_fields(&mut item.fields);
                public(&item.vis, &item.ident)
            }
            Item::Enum(item) => {
                strip(&mut item.attrs);
                for variant in &mut item.variants {
                    strip(&mut variant.attrs);
                    variant.fields.iter_mut().for_each(|field| strip(&mut field.attrs));
                }
                public(&item.vis, &item.ident)
            }
            Item::Trait(item) => {
                strip(&mut item.attrs);
                item.items.iter_mut().for_each(strip_trait_item);
                public(&item.vis, &item.ident)
            }
            Item::Const(item) => {
                strip(&mut item.attrs);
                public(&item.vis, &item.ident)
            }
            Item::Fn(item) => {
                strip(&mut item.attrs);
                item.block.stmts.clear();
                public(&item.vis, &item.sig.ident)
            }
            _ => None,
        };
        if let Some(name) = name.filter(|name| exported.contains(name)) {
            let items = interface.entry(name).or_default();
            match item {
                Item::Impl(item) => add_impl(item, items),
                // The definition first.
                other => items.insert(0, other),
            }
        }
    }
}

/// Adds an implementation; functions of the type itself to those that are known.
fn add_impl(item: ItemImpl, items: &mut Vec<Item>) {
    let header = |item: &ItemImpl| print(vec![Item::Impl(ItemImpl { items: Vec::new(), ..item.clone() })]);
    let known = items.iter_mut().find_map(|known| match known {
        Item::Impl(known) if header(known) == header(&item) => Some(known),
        _ => None,
    });
    match known {
        Some(known) => known.items.extend(item.items),
        None => items.push(Item::Impl(item)),
    }
}

fn public(visibility: &Visibility, name: &syn::Ident) -> Option<String> {
    matches!(visibility, Visibility::Public(_)).then(|| name.to_string())
}

/// Leaves the public functions of a type without their bodies, or the header of an implementation of a trait; returns
/// the type's name if anything is left.
fn strip_impl(item: &mut ItemImpl) -> Option<String> {
    strip(&mut item.attrs);
    if item.trait_.is_some() {
        item.items.clear();
    } else {
        item.items.retain_mut(|member| match member {
            ImplItem::Fn(function) => {
                strip(&mut function.attrs);
                function.block.stmts.clear();
                matches!(function.vis, Visibility::Public(_))
            }
            ImplItem::Const(constant) => {
                strip(&mut constant.attrs);
                matches!(constant.vis, Visibility::Public(_))
            }
            _ => false,
        });
        if item.items.is_empty() {
            return None;
        }
    }
    match &*item.self_ty {
        Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        _ => None,
    }
}

fn strip_fields(fields: &mut Fields) {
    fields.iter_mut().for_each(|field| strip(&mut field.attrs));
    if let Fields::Named(fields) = fields {
        let all = std::mem::take(&mut fields.named);
        fields.named = all.into_iter().filter(|field| matches!(field.vis, Visibility::Public(_))).collect();
    }
}

fn strip_trait_item(item: &mut TraitItem) {
    if let TraitItem::Fn(function) = item {
        strip(&mut function.attrs);
        if let Some(body) = &mut function.default {
            body.stmts.clear();
        }
    }
}

/// Keeps of attributes what a caller has to know.
fn strip(attributes: &mut Vec<Attribute>) {
    let matters = |attribute: &Attribute| {
        ["derive", "cfg", "non_exhaustive", "must_use"].into_iter().any(|name| attribute.path().is_ident(name))
    };
    attributes.retain(matters);
}

fn print(items: Vec<Item>) -> String {
    let page = prettyplease::unparse(&syn::File { shebang: None, attrs: Vec::new(), items });
    page.replace(" {}\n", ";\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_exported_for_two_ideas() {
        let interfaces = CRATES.map(|name| interface(name).unwrap());
        assert!(interfaces.iter().all(|interface| interface.len() > 10));
        for (i, interface) in interfaces.iter().enumerate() {
            for other in &interfaces[i + 1..] {
                let twice: Vec<&String> = interface.keys().filter(|name| other.contains_key(*name)).collect();
                assert!(twice.is_empty(), "defined in two crates: {twice:?}");
            }
        }
    }
}
