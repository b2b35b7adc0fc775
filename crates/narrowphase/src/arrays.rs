//! Arrays of a few elements, mapped.

/// `map` of the standard library for a few lengths, written out. That is a chain of ten functions, which are compiled
/// anew for each closure and are not always inlined.
pub trait Mapped<T, const N: usize> {
    /// What `f` returns for each element, in order.
    fn mapped<U>(self, f: impl FnMut(T) -> U) -> [U; N];
}

macro_rules! mapped {
    ($n:literal: $($x:ident)*) => {
        impl<T> Mapped<T, $n> for [T; $n] {
            #[inline(always)]
            fn mapped<U>(self, mut f: impl FnMut(T) -> U) -> [U; $n] {
                let [$($x),*] = self;
                [$(f($x)),*]
            }
        }
    };
}
mapped!(2: a b);
mapped!(3: a b c);
mapped!(4: a b c d);
mapped!(6: a b c d e f_);
mapped!(8: a b c d e f_ g h);
