//! Prints how much machine code the three crates are in a release build, and fails when it has grown:
//!
//! ```text
//! cargo run -p size -- target/release/deps            compares with the figures in machine_code.txt
//! cargo run -p size -- target/release/deps --write    writes them
//! ```
//! Machine code is what a user's build takes its time for. The folder must hold one build of each crate. The figures are
//! those of x86-64 Linux; elsewhere nothing is compared.

use object::{File, Object, ObjectSection, SectionKind, read::archive::ArchiveFile};
use std::{error::Error, fs, path::Path, process::ExitCode};

const CRATES: [&str; 3] = ["narrowphase", "bvh", "world"];

const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/machine_code.txt");

/// By how much the code of a crate may grow before somebody has to agree to it, by `--write`.
const MOST_GROWTH: f64 = 1.1;

/// The bytes of machine code in the only library of a crate.
fn machine_code(folder: &Path, name: &str) -> Result<u64, Box<dyn Error>> {
    let prefix = format!("libcullide_{name}-");
    let files = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?.into_iter().map(|file| file.path());
    let is_of_crate = |path: &Path| {
        let file = path.file_name().and_then(|file| file.to_str()).unwrap_or_default();
        file.starts_with(&prefix) && file.ends_with(".rlib")
    };
    let found: Vec<_> = files.filter(|path| is_of_crate(path)).collect();
    let [path] = &found[..] else {
        return Err(format!("{}: {} builds of cullide-{name}, not one", folder.display(), found.len()).into());
    };
    let bytes = fs::read(path)?;
    let mut code = 0;
    for member in ArchiveFile::parse(&*bytes)?.members() {
        let file = File::parse(member?.data(&*bytes)?)?;
        code += file.sections().filter(|section| section.kind() == SectionKind::Text).map(|it| it.size()).sum::<u64>();
    }
    Ok(code)
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        println!("machine code: compared on x86-64 Linux only");
        return Ok(ExitCode::SUCCESS);
    }
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let folder = arguments.first().ok_or("give the folder of the libraries, such as target/release/deps")?;
    let mut sizes = vec![];
    for name in CRATES {
        sizes.push((name, machine_code(Path::new(folder), name)?));
    }
    if arguments.iter().any(|it| it == "--write") {
        fs::write(KEPT, sizes.iter().map(|(name, code)| format!("{name} {code}\n")).collect::<String>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let kept = fs::read_to_string(KEPT)?;
    let mut has_grown = false;
    for (name, code) in sizes {
        let line = kept.lines().find_map(|line| line.strip_prefix(name)).ok_or(format!("{KEPT} lacks {name}"))?;
        let ratio = code as f64 / line.trim().parse::<u64>()? as f64;
        println!("cullide-{name}: {code} bytes of machine code, {ratio:.3} of what is kept");
        has_grown |= ratio > MOST_GROWTH;
    }
    if has_grown {
        eprintln!("more than {MOST_GROWTH} times as much: make it less, or say why and run this with --write");
    }
    Ok(if has_grown { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
