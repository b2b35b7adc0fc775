//! What code written for avian relies on.

use bevy_cullide::prelude::*;

#[derive(Clone, Copy, Debug, Default)]
enum Layer {
    #[default]
    Default,
    Player,
    Ground,
}
physics_layer!(Layer);

#[test]
fn layers_are_combined_and_compared_as_masks_numbers_and_values() {
    assert_eq!([Layer::default(), Layer::Player, Layer::Ground].map(|layer| layer.to_bits()), [0b1, 0b10, 0b100]);
    assert_eq!(LayerMask(0b100), Layer::Ground);
    assert_eq!(LayerMask(0b101), [Layer::Default, Layer::Ground]);
    let mut layers = LayerMask::from(Layer::Player);
    layers |= Layer::Ground;
    assert_eq!(layers, 0b110);
    layers &= !0b10;
    assert_eq!(layers, Layer::Ground);
    assert!((layers & Layer::Ground) != 0 && (layers & Layer::Player) == 0 && !layers != layers);
    assert_eq!((layers | 0b1) & LayerMask(0b11), Layer::Default);
}
