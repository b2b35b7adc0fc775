//! The declarations in C# are those of the header: what stands in `Cullide.cs` below a line that says so is written from it.

use crate::header::{header, same_as_checked_in};
use std::{fmt::Write, fs, path::Path};

const MARK: &str = "// ==== Written from cullide.h; see the README for how.\n";

#[test]
fn declarations_in_csharp_are_those_of_the_header() {
    let file = "csharp/Cullide.cs";
    let now = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect(file);
    let (by_hand, _) = now.split_once(MARK).expect("a line that says what is written by this test");
    same_as_checked_in(file, &format!("{by_hand}{MARK}{}", declarations(&header())));
}

/// Constants, the enumeration, structures and functions of a header.
fn declarations(header: &str) -> String {
    let (declared, _) = header.split_once("// Checks that this header").expect("the functions at the end");
    let (mut types, mut functions, mut doc) = (String::new(), String::new(), Vec::new());
    let mut lines = declared.lines().skip_while(|line| !line.starts_with("#include")).peekable();
    while let Some(line) = lines.next() {
        if let Some(text) = line.strip_prefix("//") {
            doc.push(text.trim());
            continue;
        }
        let mut until = |end: &str| {
            let mut text = line.to_owned();
            while !text.trim_end().ends_with(end) {
                text = text + "\n" + lines.next().expect("the end of a declaration");
            }
            text
        };
        if let Some((name, value)) = line.strip_prefix("#define ").and_then(|rest| rest.split_once(' ')) {
            let value = value.replace("UINT32_MAX", "uint.MaxValue");
            write_doc(&mut functions, &doc, "        ");
            writeln!(functions, "        public const uint {name} = {value};\n").unwrap();
        } else if line.starts_with("enum ") {
            write_enum(&mut types, &doc, &until("};"));
        } else if line.starts_with("typedef struct ") && line.ends_with('{') {
            let name = line.trim_start_matches("typedef struct ").trim_end_matches(" {");
            write_struct(&mut types, &doc, name, &until(&format!("}} {name};")));
        } else if let Some(name) = line.strip_prefix("typedef struct ").and_then(|rest| rest.split(' ').next()) {
            write_doc(&mut types, &doc, "    ");
            writeln!(types, "    public struct {name}\n    {{\n    }}\n").unwrap();
        } else if line.contains(" cullide_") || line.contains("*cullide_") {
            write_function(&mut functions, &doc, &until(");"));
        }
        doc.clear();
    }
    format!(
        "namespace CullideNative\n{{\n    using System;\n    using System.Runtime.InteropServices;\n\n{types}    /// <summary>The \
         functions of the library.</summary>\n    public static unsafe class Native\n    {{\n        const string Library = \
         \"cullide\";\n\n{}\n    }}\n}}\n",
        functions.trim_end()
    )
}

fn write_doc(text: &mut String, doc: &[&str], indent: &str) {
    if doc.is_empty() {
        return;
    }
    let lines: Vec<String> = doc.iter().map(|line| line.replace('&', "&amp;").replace('<', "&lt;")).collect();
    writeln!(text, "{indent}/// <summary>{}</summary>", lines.join(&format!("\n{indent}/// "))).unwrap();
}

fn write_enum(types: &mut String, doc: &[&str], body: &str) {
    write_doc(types, doc, "    ");
    writeln!(types, "    public enum CullideStatus\n    {{").unwrap();
    let mut doc = Vec::new();
    for line in body.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("//") {
            doc.push(text.trim());
        } else if let Some(entry) = line.strip_prefix("CULLIDE_STATUS_") {
            write_doc(types, &doc, "        ");
            let (name, value) = entry.split_once(" = ").expect("a value");
            let name: String = name.split('_').map(|word| word[..1].to_owned() + &word[1..].to_lowercase()).collect();
            writeln!(types, "        {name} = {value}").unwrap();
            doc.clear();
        }
    }
    writeln!(types, "    }}\n").unwrap();
}

fn write_struct(types: &mut String, doc: &[&str], name: &str, body: &str) {
    write_doc(types, doc, "    ");
    writeln!(types, "    [StructLayout(LayoutKind.Sequential)]\n    public unsafe struct {name}\n    {{").unwrap();
    let mut doc = Vec::new();
    for line in body.lines().skip(1).map(str::trim) {
        if let Some(text) = line.strip_prefix("//") {
            doc.push(text.trim());
        } else if let Some(field) = line.strip_suffix(';').filter(|line| !line.starts_with('}')) {
            let (kind, name) = converted(field);
            // An array is as many fields.
            let names: Vec<String> = match name.trim_end_matches(']').split_once('[') {
                Some((name, count)) => {
                    (0..count.parse().expect("a count")).map(|i: u32| format!("{name}{i}")).collect()
                }
                None => vec![name],
            };
            for name in names {
                write_doc(types, &doc, "        ");
                writeln!(types, "        public {kind} {name};").unwrap();
            }
            doc.clear();
        }
    }
    writeln!(types, "    }}\n").unwrap();
}

fn write_function(functions: &mut String, doc: &[&str], declaration: &str) {
    let (declared, parameters) = declaration.split_once('(').expect("a function");
    let parameters = parameters.trim_end_matches(");");
    let parameters: Vec<String> = match parameters {
        "void" => vec![],
        list => list.split(',').map(converted).map(|(kind, name)| format!("{kind} {name}")).collect(),
    };
    let (kind, name) = converted(declared);
    write_doc(functions, doc, "        ");
    writeln!(
        functions,
        "        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]\n        public static extern {kind} {name}({});\n",
        parameters.join(", ")
    )
    .unwrap();
}

/// A type and a name, as C# writes them.
fn converted(declared: &str) -> (String, String) {
    let words = declared.replace("const ", "").replace("struct ", "").replace('*', " * ");
    let mut words: Vec<&str> = words.split_whitespace().collect();
    let name = words.pop().expect("a name");
    let kind = match words[0] {
        "uint64_t" | "CullideKey" => "ulong",
        "uint32_t" => "uint",
        "uint16_t" => "ushort",
        "uint8_t" => "byte",
        "char" => "byte",
        "size_t" => "UIntPtr",
        kind => kind,
    };
    let name =
        if ["object", "params", "in", "out", "ref"].contains(&name) { format!("@{name}") } else { name.to_owned() };
    (kind.to_owned() + &"*".repeat(words.len() - 1), name)
}
