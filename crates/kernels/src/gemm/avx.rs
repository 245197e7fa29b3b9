//! The micro-kernel of `f32` on x86-64 processors with AVX: a vector is a whole panel's row of eight columns, and a tile has two
//! panels, 4 x 16. Multiplies and adds are separate and in the same order as those of [`crate::gemm::float`], so the results have
//! the same bits.

#![allow(
    unsafe_code,
    reason = "instructions that need AVX, on panels whose bounds are proved once for a whole strip"
)]

use std::arch::x86_64::{
    __m256, _CMP_UNORD_Q, _mm256_add_ps, _mm256_blendv_ps, _mm256_broadcast_ss, _mm256_cmp_ps,
    _mm256_loadu_ps, _mm256_mul_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps,
};

use crate::gemm::matrix::{DepthBlock, MR, NR};

// A vector is a row of a panel.
const _: () = assert!(NR == 8);

/// Whether the processor has AVX.
pub fn is_available() -> bool {
    std::arch::is_x86_feature_detected!("avx")
}

/// The product of a panel of `R` rows and consecutive whole panels of columns.
///
/// # Safety
/// As of [`GemmScalar::strip`](crate::gemm::matrix::GemmScalar::strip); the processor has AVX.
#[target_feature(enable = "avx")]
pub unsafe fn strip<const R: usize>(
    depth: usize,
    [a, b]: [*const f32; 2],
    to: &[*mut f32; MR],
    columns: &[isize],
    depth_block: DepthBlock,
) {
    let panel_elements = depth * NR;
    for (i, columns) in columns.chunks(2 * NR).enumerate() {
        let b = b.wrapping_add(2 * i * panel_elements);
        // SAFETY: panels and rows are as long as `GemmScalar::strip` demands; the chunk has one or two panels.
        unsafe {
            if columns.len() == 2 * NR {
                tiles::<R, 2>(
                    depth,
                    a,
                    [b, b.wrapping_add(panel_elements)],
                    to,
                    [columns[0], columns[NR]],
                    depth_block,
                );
            } else {
                tiles::<R, 1>(depth, a, [b], to, [columns[0]], depth_block);
            }
        }
    }
}

/// The product of a panel of `R` rows and `P` panels of columns, whose first columns are at these offsets.
///
/// # Safety
/// [`strip`].
#[inline]
#[target_feature(enable = "avx")]
unsafe fn tiles<const R: usize, const P: usize>(
    depth: usize,
    a: *const f32,
    b: [*const f32; P],
    to: &[*mut f32; MR],
    columns: [isize; P],
    depth_block: DepthBlock,
) {
    let mut sums: [[__m256; P]; R] = [[_mm256_setzero_ps(); P]; R];
    for k in 0..depth {
        let mut right = [_mm256_setzero_ps(); P];
        for (right, b) in right.iter_mut().zip(b) {
            // SAFETY: `k < depth`, and a panel has `NR` elements of each depth.
            *right = unsafe { _mm256_loadu_ps(b.add(k * NR)) };
        }
        for (r, sums) in sums.iter_mut().enumerate() {
            // SAFETY: `k < depth`, and the panel of rows has `MR` elements of each depth.
            let left = unsafe { _mm256_broadcast_ss(&*a.add(k * MR + r)) };
            for (sum, right) in sums.iter_mut().zip(right) {
                *sum = _mm256_add_ps(*sum, _mm256_mul_ps(left, right));
            }
        }
    }
    for (sums, to) in sums.iter().zip(to) {
        for (sum, at) in sums.iter().zip(columns) {
            let to = to.wrapping_offset(at);
            // SAFETY: `NR` elements of each of the first `R` rows can be read and written from the panel's first column on.
            unsafe {
                let sum = if depth_block.is_first { *sum } else { _mm256_add_ps(_mm256_loadu_ps(to), *sum) };
                _mm256_storeu_ps(to, if depth_block.is_last { canonicalized(sum) } else { sum });
            }
        }
    }
}

/// The canonical NaN for each NaN.
#[inline]
#[target_feature(enable = "avx")]
fn canonicalized(x: __m256) -> __m256 {
    _mm256_blendv_ps(x, _mm256_set1_ps(f32::NAN), _mm256_cmp_ps::<_CMP_UNORD_Q>(x, x))
}
