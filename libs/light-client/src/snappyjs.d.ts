declare module 'snappyjs' {
  const snappy: {
    uncompress(bytes: Uint8Array, maxLength?: number): Uint8Array;
    compress(bytes: Uint8Array): Uint8Array;
  };
  export default snappy;
}
