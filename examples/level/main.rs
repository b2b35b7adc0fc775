//! A collision world on a real level: what is in it, who walks through it, what a camera sees of it.

#![expect(dead_code, reason = "walks and pictures begin with the first world")]

mod args;
mod camera;
mod map;
mod picture;
mod plan;
mod report;
mod spots;
mod view;
mod walk;

use std::process::ExitCode;

use args::{Args, Request};
use map::Map;

/// The exit code of a bad command line and of a map that cannot be used.
const REFUSED: u8 = 2;

fn main() -> ExitCode {
    match args::parse(std::env::args_os().skip(1)) {
        Ok(Request::Help) => {
            println!("{}", args::USAGE);
            ExitCode::SUCCESS
        }
        Ok(Request::Run(args)) => match run(&args) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => refuse(&error.to_string()),
        },
        Err(error) => refuse(&format!("{error} (--help lists the options)")),
    }
}

fn refuse(message: &str) -> ExitCode {
    eprintln!("level: {}", map::one_line(message));
    ExitCode::from(REFUSED)
}

fn run(args: &Args) -> Result<(), Box<dyn std::error::Error>> {
    let map = match &args.map {
        Some(path) => Map::read(path)?,
        None => Map::parse("level.map", include_bytes!("level.map"))?,
    };
    println!("brushes {}", map.brushes().count());
    println!("faces   {}", map.brushes().map(|brush| brush.faces.len()).sum::<usize>());
    println!("solid   {}", map.brushes().filter(|brush| brush.solid).count());
    Ok(())
}
