//! New places for the vertices of a mesh whose triangles stay.

use super::{Mesh, MeshData, MeshError, bounds, triangle};
use cullide_narrowphase::glam::Vec3;
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
            let (vertices, corners) = (std::mem::take(&mut data.vertices), std::mem::take(&mut data.corners));
            let (surfaces, sides) = (std::mem::take(&mut data.surfaces), data.sides);
            *data = MeshData { surfaces, sides, ..MeshData::new(vertices, corners) };
        }
        Ok(())
    }
}

impl MeshData {
    /// Gives the tree the boxes of the triangles as they are now, unless there are others with an area.
    fn refit(&mut self) -> bool {
        let Self { vertices, corners, tree, .. } = self;
        let of = |number: u32| triangle(vertices, corners[number as usize]);
        let has_area = |number: &u32| of(*number).is_some();
        let is_same = tree.groups().leaves().all(|leaf| tree.numbers(leaf).iter().all(has_area))
            && (tree.len() == corners.len() || (0..corners.len() as u32).filter(has_area).count() == tree.len());
        if is_same {
            tree.refit(|number| of(number).map_or(self.aabb, |triangle| triangle.aabb()));
            self.aabb = bounds(tree, vertices[corners[0][0] as usize]);
        }
        is_same
    }
}
