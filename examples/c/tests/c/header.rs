//! The header that is checked in is the one of the library.

use std::{env, fs, path::Path};

#[test]
fn the_header_is_that_of_the_library() {
    same_as_checked_in("include/cullide.h", &header());
}

#[test]
fn every_structure_is_checked_when_a_program_starts() {
    let text = header();
    let declared = text.lines().filter_map(|line| line.strip_prefix("typedef struct ")?.strip_suffix(" {"));
    let missing: Vec<&str> = declared.filter(|name| cullide::SIZES.iter().all(|(known, _)| known != name)).collect();
    assert!(missing.is_empty(), "add these to SIZES: {missing:?}");
}

/// What the sources say.
pub(crate) fn header() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).expect("cbindgen.toml");
    config.trailer = Some(trailer());
    let mut text = Vec::new();
    cbindgen::Builder::new().with_crate(folder).with_config(config).generate().expect("a header").write(&mut text);
    String::from_utf8(text).expect("text")
}

/// Compares a file that is checked in with what it should be, or renews it.
pub(crate) fn same_as_checked_in(file: &str, now: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if env::var_os("CULLIDE_WRITE").is_some() {
        fs::write(&path, now).expect("the file can be written");
    }
    let checked_in = fs::read_to_string(&path).unwrap_or_default();
    let same = now.lines().zip(checked_in.lines()).take_while(|(now, checked_in)| now == checked_in).count();
    assert!(
        now == checked_in,
        "{file} differs from the library from line {} on; renew it with\n  CULLIDE_WRITE=1 cargo test -p cullide-c --test c \
         the_header\nand raise CULLIDE_ABI_VERSION if programs have to be compiled again",
        same + 1,
    );
}

/// What every program wants to have in a line.
fn trailer() -> String {
    let sizes: Vec<String> = cullide::SIZES.iter().map(|(name, _)| format!("        sizeof({name}),")).collect();
    TRAILER.replace("SIZES", &sizes.join("\n"))
}

const TRAILER: &str = "// Checks that this header belongs to the library: call it first.
static inline CullideStatus cullide_check(void)
{
    const size_t sizes[] = {
SIZES
    };
    return cullide_abi_check(CULLIDE_ABI_VERSION, sizes, sizeof(sizes) / sizeof(sizes[0]));
}

// A point or a direction.
static inline CullideVec3 cullide_vec3(float x, float y, float z)
{
    CullideVec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

// A pose without rotation.
static inline CullidePose cullide_at(float x, float y, float z)
{
    CullidePose pose;
    pose.rotation.x = pose.rotation.y = pose.rotation.z = 0.0f;
    pose.rotation.w = 1.0f;
    pose.position = cullide_vec3(x, y, z);
    return pose;
}";
