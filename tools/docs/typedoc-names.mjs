// Names modules by their import specifiers instead of their paths.
import { Converter, ReflectionKind } from 'typedoc';

export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
      const [, lib, entry] = /^([\w-]+)\/src(?:\/(\w+))?$/.exec(module.name) ?? [];
      if (lib !== undefined) module.name = entry === undefined ? `@cairn/${lib}` : `@cairn/${lib}/${entry}`;
    }
  });
}
