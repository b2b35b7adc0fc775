//! The programs in C and C++, built by CMake and run under the address sanitizer, print the hashes that the crates give.

use crate::scripts;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Runs a command, which has to succeed, and returns what it prints.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}{err}", output.status);
    out.into_owned()
}

/// The libraries that were built for this test, beside it.
fn library(name: &str) -> PathBuf {
    env::current_exe().expect("the path of the test").with_file_name(name)
}

fn hash_of(output: &str) -> u64 {
    let line = output.lines().last().and_then(|line| line.strip_prefix("hash ")).expect("a last line with a hash");
    u64::from_str_radix(line, 16).expect("a hash")
}

fn programs_agree(kind: &str, library: &Path) {
    let source = env!("CARGO_MANIFEST_DIR");
    let build = Path::new(env!("CARGO_TARGET_TMPDIR")).join(kind);
    let option = |name: &str, value: &str| format!("-D{name}={value}");
    run(Command::new("cmake").arg("-S").arg(source).arg("-B").arg(&build).args([
        option("CMAKE_BUILD_TYPE", "RelWithDebInfo"),
        option("CULLIDE_SANITIZE", "ON"),
        option("CULLIDE_LIBRARY", library.to_str().expect("a path in UTF-8")),
    ]));
    run(Command::new("cmake").arg("--build").arg(&build));
    for (program, hash) in [("pile", scripts::pile()), ("rewind", scripts::rewind())] {
        let output = run(&mut Command::new(build.join(program)));
        print!("{output}");
        assert_eq!(hash_of(&output), hash, "{program} with the {kind} library:\n{output}");
        assert!(!output.contains("different"), "{output}");
    }
}

/// The README's own program.
fn the_readme_is_right(library: &Path) {
    let (_, program) = include_str!("../../README.md").split_once("```c\n").expect("a program in C");
    let (program, _) = program.split_once("```").expect("its end");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, ball) = (folder.join("ball.c"), folder.join("ball"));
    fs::write(&source, program).expect("a file for the program");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let compile = &mut Command::new("cc");
    compile
        .args(["-Wall", "-Wextra", "-Werror", "-fsanitize=address"])
        .arg(&source)
        .arg("-I")
        .arg(include)
        .arg(library);
    run(compile.args(["-lpthread", "-ldl", "-lm", "-o"]).arg(&ball));
    assert_eq!(run(&mut Command::new(ball)), "the ball is 4 away\n");
}

#[test]
#[ignore = "needs CMake and a compiler for C and C++; examples/c/check runs it where they are"]
fn programs_in_c_and_cpp_compute_what_the_crates_do() {
    programs_agree("shared", &library("libcullide.so"));
    programs_agree("static", &library("libcullide.a"));
    the_readme_is_right(&library("libcullide.a"));
}
