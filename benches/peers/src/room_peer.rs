//! What every competitor does in the room, the list of them, and the state of the boxes.

use crate::peers::{ours_room, rapier_room};
use cullide_narrowphase::glam::{DVec3, Quat, Vec3};
use cullide_scenes::Rng;

/// The distance from the middle of the room to each wall.
pub const HALF: f32 = 50.0;

/// The half extents of every box: thin enough that most steps move it farther than its size.
pub const HALF_EXTENTS: Vec3 = Vec3::new(0.1, 0.5, 0.8);

/// The duration of a step, in seconds.
pub const DT: f32 = 1.0 / 60.0;

/// A corner may be outside by this much: it is the distance or the depth that an engine keeps for a resting contact.
const SLACK: f64 = 1e-3;

/// The normals of the walls, which point inward; each wall is [`HALF`] behind the middle.
pub const WALLS: [Vec3; 6] = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];

/// A box at the start.
#[derive(Clone, Copy, Debug)]
pub struct Flyer {
    pub center: Vec3,
    pub rotation: Quat,
    pub velocity: Vec3,
    /// In radians per second, along the axis.
    pub spin: Vec3,
}

/// Boxes at random places in the room, randomly rotated, flying and spinning in random directions.
pub fn flyers(n: usize, speed: f32, spin: f32, seed: u64) -> Vec<Flyer> {
    let mut rng = Rng::with_seed(seed ^ 5);
    let mut next = || Flyer {
        center: Vec3::from([(); 3].map(|()| (2.0 * rng.f32() - 1.0) * (HALF - 1.0))),
        rotation: Quat::from_array(direction(&mut rng)),
        velocity: Vec3::from(direction(&mut rng)) * speed,
        spin: Vec3::from(direction(&mut rng)) * spin,
    };
    (0..n).map(|_| next()).collect()
}

/// Uniform on the sphere.
fn direction<const N: usize>(rng: &mut Rng) -> [f32; N] {
    loop {
        let point = [(); N].map(|()| 2.0 * rng.f64() - 1.0);
        let square: f64 = point.iter().map(|x| x * x).sum();
        if (1e-6..=1.0).contains(&square) {
            return point.map(|x| (x / square.sqrt()) as f32);
        }
    }
}

/// A box as reported by a competitor.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub center: DVec3,
    pub half_edges: [DVec3; 3],
    pub velocity: DVec3,
    pub spin: DVec3,
}

impl Found {
    /// Whether coordinates are not within the walls; a NaN never is.
    fn is_outside(coordinates: DVec3, slack: f64) -> bool {
        !coordinates.abs().cmple(DVec3::splat(f64::from(HALF) + slack)).all()
    }

    fn center_is_outside(&self) -> bool {
        Self::is_outside(self.center, 0.0)
    }

    fn corner_is_outside(&self) -> bool {
        let reach: DVec3 = self.half_edges.iter().map(|edge| edge.abs()).sum();
        Self::is_outside(self.center.abs() + reach, SLACK)
    }

    /// Twice the kinetic energy of a box of mass 1; about the axis with half extent a, `I = (b² + c²) / 3`.
    fn energy(&self) -> f64 {
        let squares = self.half_edges.map(|edge| edge.length_squared());
        let about = |i: usize| (squares[(i + 1) % 3] + squares[(i + 2) % 3]) / 3.0;
        let turning = |i: usize| about(i) * self.half_edges[i].normalize().dot(self.spin).powi(2);
        self.velocity.length_squared() + turning(0) + turning(1) + turning(2)
    }
}

/// The state of all boxes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Census {
    /// Boxes whose centre is outside the room, and boxes with any corner outside it, by more than [`SLACK`].
    pub centers: usize,
    pub corners: usize,
    /// Twice their kinetic energy, for a mass of 1 each.
    pub energy: f64,
}

impl Census {
    pub fn of(found: &[Found]) -> Self {
        Self {
            centers: found.iter().filter(|found| found.center_is_outside()).count(),
            corners: found.iter().filter(|found| found.corner_is_outside()).count(),
            energy: found.iter().map(Found::energy).sum(),
        }
    }
}

/// A competitor with its boxes in flight.
pub trait RoomPeer {
    /// Advances everything by [`DT`]; timed.
    fn step(&mut self);

    /// The boxes in their current state, in the order in which they were given.
    fn boxes(&self) -> Vec<Found>;
}

/// One competitor.
#[derive(Clone, Copy, Debug)]
pub struct Competitor {
    /// Its name and variant, as the table shows it.
    pub name: &'static str,
    pub new: fn(&[Flyer]) -> Box<dyn RoomPeer>,
}

/// The number of competitors that are ours; they come first.
pub const OURS: usize = 2;

/// All competitors.
pub fn competitors() -> Vec<Competitor> {
    let entry = |name, new| Competitor { name, new };
    vec![
        entry("ours", |flyers| Box::new(ours_room::Ours::new(flyers, ours_room::Pairs::Left))),
        entry("ours, with update", |flyers| Box::new(ours_room::Ours::new(flyers, ours_room::Pairs::Updated))),
        entry("rapier3d", |flyers| Box::new(rapier_room::Engine::continuous(flyers))),
        entry("rapier3d, slabs", |flyers| Box::new(rapier_room::Engine::slabs(flyers))),
        entry("rapier3d, slabs ahead", |flyers| Box::new(rapier_room::Engine::slabs_ahead(flyers))),
        entry("rapier3d, discrete", |flyers| Box::new(rapier_room::Engine::discrete(flyers))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_outside_by_its_centre_or_by_a_corner() {
        let found = |x: f32| Found {
            center: Vec3::new(1.0, -x, 2.0).as_dvec3(),
            half_edges: [DVec3::X * 0.1, DVec3::Y * 0.5, DVec3::Z * 0.8],
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
        };
        let census = Census::of(&[found(50.01), found(49.6), found(49.5005), found(f32::NAN)]);
        assert_eq!((census.centers, census.corners), (2, 3));
    }

    #[test]
    fn the_energy_is_that_of_a_rigid_box() {
        // I = (0.25 + 0.64) / 3 about x.
        let found = Found {
            center: DVec3::ZERO,
            half_edges: [DVec3::X * 0.1, DVec3::Y * 0.5, DVec3::Z * 0.8],
            velocity: DVec3::new(3.0, 4.0, 0.0),
            spin: DVec3::X * 6.0,
        };
        assert!((Census::of(&[found]).energy - (25.0 + 36.0 * 0.89 / 3.0)).abs() < 1e-12);
    }

    #[test]
    fn everybody_starts_with_the_same_boxes_and_moves_them() {
        let flyers = flyers(20, 1.0, 0.5, 3);
        let start = Census::of(&(competitors()[0].new)(&flyers).boxes());
        assert!(start.energy > 20.0);
        for Competitor { name, new } in competitors() {
            let mut peer = new(&flyers);
            let census = Census::of(&peer.boxes());
            assert!((census.energy / start.energy - 1.0).abs() < 1e-5, "{name}: {census:?}");
            for _ in 0..6 {
                peer.step();
            }
            for (flyer, found) in flyers.iter().zip(peer.boxes()) {
                let moved = found.center - (flyer.center + 0.1 * flyer.velocity).as_dvec3();
                let turned = flyer.rotation * Vec3::Z * HALF_EXTENTS.z;
                let turned = Quat::from_scaled_axis(flyer.spin * 0.1) * turned;
                assert!(moved.length() < 1e-3, "{name}: {moved}");
                assert!((found.half_edges[2] - turned.as_dvec3()).length() < 1e-2, "{name}: {found:?}");
            }
        }
    }
}
