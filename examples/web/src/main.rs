//! Prints the hashes that the page's script ends on, computed natively.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let outcome = cullide_web::script::run()?;
    println!("{:016x} {:016x}", outcome.world, outcome.answers);
    Ok(())
}
