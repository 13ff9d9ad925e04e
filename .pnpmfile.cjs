// The reference suite of the IPFS core API brings the build tools of its own repository with it; none of them is needed
// to run it. See tools/ipfs-core-suite.
const suite = 'interface-ipfs-core';
const buildTools = ['copyfiles', 'stream', '@types/node', '@types/pako', '@types/readable-stream'];

function readPackage(manifest) {
  if (manifest.name !== suite) return manifest;
  // Of the older release only the fixtures are used.
  if (manifest.version === '0.155.2') return { ...manifest, dependencies: {} };
  const dependencies = Object.fromEntries(
    Object.entries(manifest.dependencies).filter(([name]) => !buildTools.includes(name)),
  );
  return { ...manifest, dependencies: { ...dependencies, aegir: 'workspace:*' } };
}

module.exports = { hooks: { readPackage } };
