//! Walks of one minute in meshes by other authors, by capsules and by boxes: no walker is in a triangle, stuck or
//! thrown, and each is at a constant height on level floors.

use cullide_narrowphase::{
    Brush, Capsule, Obb, Sides,
    glam::{DVec3, Vec3},
};
use cullide_scenes::{self as scenes, SEED, Surface, data_dir, map_brushes, map_spots, read_obj};
use cullide_support::hike::{Build, Ground};
use cullide_world::Mesh;

const SECONDS: u32 = 60;
const WALKERS: usize = 16;

/// The unit of a level is a fortieth of a metre.
const UNIT: f32 = 0.025;

/// The axis that points up in a file.
#[derive(Clone, Copy)]
enum Up {
    Y,
    Z,
}

impl Up {
    fn upright(self, [x, y, z]: [f32; 3]) -> Vec3 {
        match self {
            Self::Y => Vec3::new(x, y, z),
            Self::Z => Vec3::new(x, z, -y),
        }
    }
}

fn ground(surface: &Surface, up: Up, scale: f32, sides: Sides) -> Ground {
    let vertices: Vec<Vec3> = surface.vertices.iter().map(|vertex| scale * up.upright(*vertex)).collect();
    let mesh = Mesh::new(&vertices, &surface.triangles).expect("a mesh").with_sides(sides);
    Ground::new(mesh, surface.triangles.iter().map(|corners| corners.map(|corner| vertices[corner as usize])))
}

fn read(name: &str) -> Surface {
    read_obj(&data_dir().join(name)).expect("the mesh is readable")
}

/// The faces of all brushes of a level, hit from outside, and the places of its entities that are outside all brushes.
fn level(name: &str, sides: Sides) -> (Ground, Vec<Vec3>) {
    let path = data_dir().join("librequake").join(name).with_extension("map");
    let solid = |faces: &scenes::Brush| {
        let faces: Vec<_> = faces.iter().map(|points| points.map(DVec3::from)).collect();
        Brush::from_point_triples(&faces).expect("every brush of these maps is a solid")
    };
    let solids: Vec<Brush> = map_brushes(&path).expect("the map is readable").iter().map(solid).collect();
    let mut surface = Surface::default();
    for brush in &solids {
        let first = surface.vertices.len() as u32;
        surface.vertices.extend(brush.vertices().iter().map(|vertex| vertex.as_vec3().to_array()));
        for face in brush.faces() {
            surface.add_polygon(&Vec::from_iter(face.vertices.iter().map(|corner| first + *corner as u32)));
        }
    }
    // Triggers and water are solids here, which a walker could leave from inside.
    let is_free = |spot: &[f32; 3]| {
        let spot = DVec3::from(spot.map(f64::from));
        !solids.iter().any(|solid| solid.planes().iter().all(|plane| plane.normal.dot(spot) <= plane.distance))
    };
    let spots = map_spots(&path).expect("the map is readable").into_iter().filter(is_free);
    (ground(&surface, Up::Z, UNIT, sides), spots.map(|spot| UNIT * Up::Z.upright(spot)).collect())
}

/// Walks at least a given number of metres on the ground, and at least a given number of steps on level floors.
fn walk<B: Build>(name: &str, ground: &Ground, places: &[Vec3], (metres, level_steps): (f64, usize)) {
    let log = ground.hike::<B>(places, WALKERS, SECONDS, SEED);
    println!(
        "{name}, {} places: {:.0} m, {} level steps, {} lost",
        places.len(),
        log.metres,
        log.level_steps,
        log.lost
    );
    assert!(log.broken.is_empty(), "{name}: {:#?}", log.broken);
    assert!(log.metres >= metres && log.level_steps >= level_steps, "{name}: {log:?}");
}

fn walk_on_top(name: &str, ground: &Ground, least: (f64, usize)) {
    walk::<Capsule>(name, ground, &ground.places::<Capsule>(24), least);
    walk::<Obb>(name, ground, &ground.places::<Obb>(24), least);
}

fn walk_inside(name: &str, least: (f64, usize)) {
    for sides in [Sides::Front, Sides::Both] {
        let (ground, spots) = level(name, sides);
        let capsules = spots.iter().filter_map(|spot| ground.place_below::<Capsule>(*spot));
        walk::<Capsule>(name, &ground, &Vec::from_iter(capsules), least);
        let boxes = spots.iter().filter_map(|spot| ground.place_below::<Obb>(*spot));
        walk::<Obb>(name, &ground, &Vec::from_iter(boxes), least);
    }
}

#[test]
#[ignore = "reads the shared data"]
fn on_a_bunny_as_large_as_a_hill() {
    let mut surface = read("parry/low_poly_bunny.obj");
    // It stands on a meadow.
    let first = surface.vertices.len() as u32;
    surface.vertices.extend([[-4.0, -0.2, -4.0], [-4.0, -0.2, 4.0], [4.0, -0.2, 4.0], [4.0, -0.2, -4.0]]);
    surface.add_polygon(&[0, 1, 2, 3].map(|corner| first + corner));
    walk_on_top("bunny", &ground(&surface, Up::Y, 20.0, Sides::Both), (1000.0, 1000));
}

#[test]
#[ignore = "reads the shared data"]
fn on_voxels() {
    walk_on_top("voxels", &ground(&read("box3d/meshes/voxel_mesh_01.obj"), Up::Z, 0.01, Sides::Both), (1000.0, 0));
}

#[test]
#[ignore = "reads the shared data"]
fn on_a_games_collision_mesh() {
    let surface = read("box3d/meshes/collision_mesh_01.obj");
    walk_on_top("collision", &ground(&surface, Up::Z, 0.01, Sides::Both), (1000.0, 0));
}

#[test]
#[ignore = "reads the shared data"]
fn in_an_episodes_first_level() {
    walk_inside("lq_e0m1", (1000.0, 1000));
}

#[test]
#[ignore = "reads the shared data"]
fn in_an_arena() {
    walk_inside("lqdm1", (1000.0, 1000));
}

#[test]
#[ignore = "reads the shared data"]
fn in_a_large_level() {
    walk_inside("lq_e4m4", (1000.0, 10));
}
