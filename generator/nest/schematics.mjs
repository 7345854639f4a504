// What `nest generate` finds by collection.json: the same as `npm run generate`.

/** Nest's command line does not tell a factory of it. */
const dryRun = process.argv.includes('--dry-run');

export const module = factoryOf('module');
export const command = factoryOf('command');
export const query = factoryOf('query');
export const event = factoryOf('event');

/** @param kind of `generate`; a part's module is the path that is given to `nest generate` */
function factoryOf(kind) {
  return ({ name, path }) =>
    async () => {
      // Loaded by `require`, which knows modules that wait for nothing alone.
      const { generate } = await import('../generate.mjs');
      for (const written of await generate({ kind, name, module: path, dryRun })) console.log(written);
    };
}
