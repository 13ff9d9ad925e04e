// KZG commitments without @ethereumjs: an entry of its own, since the trusted setup is large.
export { kzg, prepareKzg } from '#kzg';
