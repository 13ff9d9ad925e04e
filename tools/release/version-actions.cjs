// Reads and writes versions for `nx release`: those of package.json. Dependencies between the libs are `workspace:^`
// and need no change; packing turns them into versions.
const { VersionActions } = require('nx/release');

class PackageJsonVersionActions extends VersionActions {
  validManifestFilenames = ['package.json'];

  #manifest(tree) {
    const [{ manifestPath }] = this.manifestsToUpdate;
    return { manifestPath, manifest: JSON.parse(tree.read(manifestPath, 'utf8')) };
  }

  async readCurrentVersionFromSourceManifest(tree) {
    const { manifestPath, manifest } = this.#manifest(tree);
    return { currentVersion: manifest.version, manifestPath };
  }

  /** No request to the registry: a release needs no network before it publishes. */
  async readCurrentVersionFromRegistry() {
    return null;
  }

  async readCurrentVersionOfDependency(tree, _projectGraph, name) {
    const { manifest } = this.#manifest(tree);
    const dependencyCollection =
      ['dependencies', 'peerDependencies', 'devDependencies'].find((field) => manifest[field]?.[name]) ?? null;
    return { currentVersion: dependencyCollection && manifest[dependencyCollection][name], dependencyCollection };
  }

  async updateProjectVersion(tree, version) {
    const { manifestPath, manifest } = this.#manifest(tree);
    tree.write(manifestPath, `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
    return [`${manifestPath}: ${manifest.version} → ${version}`];
  }

  async updateProjectDependencies() {
    return [];
  }
}

module.exports = PackageJsonVersionActions;
