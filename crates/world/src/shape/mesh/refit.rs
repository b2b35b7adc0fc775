//! New places for the vertices of a mesh whose triangles stay.

use super::{Mesh, MeshData, MeshError};
use cullide_bvh::Leaf;
use cullide_narrowphase::{Aabb, Triangle, glam::Vec3};
use std::sync::{Arc, OnceLock};

impl Mesh {
    /// Moves the vertices, as of a mesh that deforms: it then answers as a new mesh of them would, for less. The order
    /// of the triangles in memory and the shape of the tree stay; where triangles that were close come to be far apart,
    /// a new mesh is faster. Only when a triangle loses its area, or gets one, is everything rebuilt.
    ///
    /// Clones stay as they are: while there is one, as in a world, what they share is copied first. Give the object the
    /// new shape with [`World::set_shape`](crate::World::set_shape).
    ///
    /// # Errors
    /// [`MeshError::VertexCount`] and [`MeshError::BadVertex`] with the first that is wrong: the mesh stays as it is.
    ///
    /// ```
    /// # use cullide_world::{Mesh, glam::Vec3};
    /// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
    /// let mut flag = Mesh::new(&corners, &[[0, 1, 2]])?;
    /// flag.refit(&corners.map(|corner| corner + Vec3::Z))?;
    /// assert_eq!(flag.triangle(0).unwrap().points()[1], Vec3::new(1.0, 0.0, 1.0));
    /// # Ok::<(), cullide_world::MeshError>(())
    /// ```
    pub fn refit(&mut self, vertices: &[Vec3]) -> Result<(), MeshError> {
        let expected = self.vertices().len();
        if vertices.len() != expected {
            return Err(MeshError::VertexCount { vertices: vertices.len(), expected });
        }
        super::check(vertices)?;
        let data = Arc::make_mut(&mut self.0);
        data.vertices.clear();
        data.vertices.extend(vertices.iter().map(|vertex| vertex + Vec3::ZERO));
        data.hash = OnceLock::new();
        if !data.refit() {
            let triangles: Vec<[u32; 3]> = (0..self.len() as u32).filter_map(|number| self.corners(number)).collect();
            let data = Arc::make_mut(&mut self.0);
            let (vertices, surfaces) = (std::mem::take(&mut data.vertices), std::mem::take(&mut data.surfaces));
            *data = MeshData { surfaces, sides: data.sides, ..MeshData::new(vertices, &triangles) };
        }
        Ok(())
    }
}

impl MeshData {
    /// Gives the groups the boxes of their triangles as they are now, unless there are others with an area.
    fn refit(&mut self) -> bool {
        let Self { vertices, corners, starts, tree, degenerate, .. } = self;
        let of = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|i| vertices[i as usize]);
            Triangle::new(a, b, c).ok()
        };
        if degenerate.iter().any(|(_, corners)| of(corners).is_some()) {
            return false;
        }
        let mut boxes: Vec<(Leaf, Aabb)> = Vec::with_capacity(starts.len());
        for (leaf, group) in tree.leaves().zip(starts.windows(2)) {
            let mut bounds: Option<Aabb> = None;
            for corners in &corners[group[0] as usize..group[1] as usize] {
                let Some(triangle) = of(corners) else { return false };
                bounds = Some(bounds.map_or(triangle.aabb(), |bounds| bounds.union(&triangle.aabb())));
            }
            boxes.extend(bounds.map(|bounds| (leaf, bounds)));
        }
        tree.refit(boxes);
        // Without a triangle that has an area, it is at any place.
        let first = corners.first().or(degenerate.first().map(|(_, corners)| corners));
        let anywhere = first.map_or(Vec3::ZERO, |corners| vertices[corners[0] as usize]);
        self.aabb = tree.bounds().or(Aabb::new(anywhere, anywhere).ok()).unwrap_or(self.aabb);
        true
    }
}
