/** Refuses what `npm run generate` writes, which also registers it: a module as Nest's schematics write it would fail the checks. */
export default function refuse() {
  throw new Error(
    'Nothing was written. Type "npm run generate -- module NAME" for a module, "npm run generate -- --help" for parts of one.',
  );
}
