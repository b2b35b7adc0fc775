//! Cameras: the one for the picture, taken from the map, and a path of cameras for culling, along a walker's trail.

use cullide_world::glam::Vec3;

use crate::map::{Entity, Map};

/// The height of a walker's eyes above its centre, in units.
const EYE_HEIGHT: f32 = 18.0;

/// How many steps a camera on a trail looks ahead, so that it turns before the walker does, and not in a single step.
const LOOK_AHEAD: usize = 45;

/// A camera in the level: angles in degrees, `yaw` from x towards y, `pitch` down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shot {
    pub eye: Vec3,
    pub yaw: f32,
    pub pitch: f32,
}

impl Shot {
    /// Returns the map's own view: its `info_intermission`, otherwise from the first player's eyes, otherwise of the
    /// middle of `low..high` from a corner above.
    pub fn of_map(map: &Map, low: Vec3, high: Vec3) -> Self {
        let shot = |class: &str, read: fn(&Entity, Vec3) -> Self| {
            let mut found = map.entities.iter().filter(|entity| entity.classname.starts_with(class));
            found.find_map(|entity| Some(read(entity, entity.vector("origin")?.into())))
        };
        let above = || {
            let eye = Vec3::new(low.x, low.y, high.z);
            let to_middle = (low + high) / 2.0 - eye;
            let (yaw, pitch) = angles(to_middle);
            Self { eye, yaw, pitch }
        };
        shot("info_intermission", |entity, eye| {
            let [pitch, yaw, _] = entity.vector("mangle").unwrap_or_default();
            Self { eye, yaw, pitch }
        })
        .or_else(|| {
            shot("info_player", |entity, origin| {
                let yaw =
                    entity.value("angle").and_then(|angle| angle.parse().ok()).filter(|yaw: &f32| yaw.is_finite());
                Self { eye: origin + Vec3::Z * EYE_HEIGHT, yaw: yaw.unwrap_or(0.0), pitch: 0.0 }
            })
        })
        .unwrap_or_else(above)
    }

    /// Returns a camera at every point of a walker's trail, which looks at where the walker will be.
    pub fn along(trail: &[Vec3]) -> impl Iterator<Item = Self> {
        let mut yaw = 0.0;
        trail.iter().enumerate().map(move |(step, &center)| {
            let ahead = trail[(step + LOOK_AHEAD).min(trail.len() - 1)] - center;
            // A walker that stays where it is keeps looking in the same direction.
            if ahead.truncate() != cullide_world::glam::Vec2::ZERO {
                yaw = angles(ahead).0;
            }
            Self { eye: center + Vec3::Z * EYE_HEIGHT, yaw, pitch: 0.0 }
        })
    }
}

/// Yaw and pitch of a direction, in degrees.
fn angles(direction: Vec3) -> (f32, f32) {
    let yaw = direction.y.atan2(direction.x).to_degrees();
    (yaw, (-direction.z).atan2(direction.truncate().length()).to_degrees())
}

/// The view of a camera: unit axes, and the half extents of the picture at distance 1.
#[derive(Clone, Copy, Debug)]
pub struct Lens {
    pub forward: Vec3,
    pub right: Vec3,
    pub up: Vec3,
    pub half_width: f32,
    pub half_height: f32,
}

impl Lens {
    /// Creates a lens that looks along `yaw` (from x towards y) and `pitch` (down), in degrees, with z up.
    pub fn new(yaw: f32, pitch: f32, horizontal_degrees: f32, aspect: f32) -> Self {
        let ((yaw_sin, yaw_cos), (pitch_sin, pitch_cos)) = (yaw.to_radians().sin_cos(), pitch.to_radians().sin_cos());
        let half_width = (horizontal_degrees.to_radians() / 2.0).tan();
        let forward = Vec3::new(yaw_cos * pitch_cos, yaw_sin * pitch_cos, -pitch_sin);
        let right = Vec3::new(yaw_sin, -yaw_cos, 0.0);
        Self { forward, right, up: right.cross(forward), half_width, half_height: half_width / aspect }
    }

    /// The unit direction through the middle of a pixel; rows go down.
    pub fn direction(&self, x: u32, y: u32, width: u32, height: u32) -> Vec3 {
        let across = (2.0 * (x as f32 + 0.5) / width as f32 - 1.0) * self.half_width;
        let along = (1.0 - 2.0 * (y as f32 + 0.5) / height as f32) * self.half_height;
        (self.forward + self.right * across + self.up * along).normalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lens_looks_where_its_angles_say() {
        let lens = Lens::new(90.0, 0.0, 90.0, 1.5);
        assert!(lens.forward.abs_diff_eq(Vec3::Y, 1e-6) && lens.right.abs_diff_eq(Vec3::X, 1e-6));
        assert!(lens.up.abs_diff_eq(Vec3::Z, 1e-6));
        assert!(Lens::new(0.0, 30.0, 90.0, 1.5).forward.z < 0.0);
        assert!(lens.direction(0, 0, 6, 4).x < 0.0 && lens.direction(0, 0, 6, 4).z > 0.0);
    }

    #[test]
    fn the_map_says_where_the_picture_is_taken_from() {
        let brush = "( 0 0 0 ) ( 2 0 0 ) ( 0 3 0 ) stone 0 0 0 1 1\n".repeat(4);
        let shot = |spots: &str| {
            let text = format!("{{ \"classname\" \"worldspawn\"\n{{\n{brush}}}\n}}\n{spots}");
            let map = Map::parse("some.map", text.as_bytes()).unwrap();
            Shot::of_map(&map, Vec3::ZERO, Vec3::new(20.0, 20.0, 50.0))
        };
        let start = "{ \"classname\" \"info_player_start\" \"origin\" \"1 2 3\" \"angle\" \"90\" }\n";
        let break_ = "{ \"classname\" \"info_intermission\" \"origin\" \"4 5 6\" \"mangle\" \"10 20 0\" }\n";
        assert_eq!(shot(&format!("{start}{break_}")), Shot { eye: Vec3::new(4.0, 5.0, 6.0), yaw: 20.0, pitch: 10.0 });
        assert_eq!(shot(start), Shot { eye: Vec3::new(1.0, 2.0, 21.0), yaw: 90.0, pitch: 0.0 });
        assert_eq!(shot(&start.replace("1 2 3", "1 2")).eye, Vec3::new(0.0, 0.0, 50.0));
    }

    #[test]
    fn a_camera_on_a_trail_looks_ahead_and_keeps_its_look_where_the_walker_stops() {
        let trail: Vec<Vec3> = (0..100).map(|step| Vec3::Y * step.min(50) as f32).collect();
        assert!(Shot::along(&trail).all(|shot| shot.yaw == 90.0));
        assert_eq!(Shot::along(&[]).count(), 0);
    }
}
