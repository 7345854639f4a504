/**
 * Folders of `src/` that put the modules together. No module imports them. One with an `index.ts` is reached through it; one without is
 * imported by the files of `src/` itself and by tests only.
 */
export const compositionFolders: readonly string[] = ['bootstrap', 'console', 'graphql', 'operations'];

/** The libraries from the ground up: each imports only libraries named in an earlier row. */
export const libraryRows: readonly (readonly string[])[] = [
  ['observability'],
  ['database'],
  ['event-sourcing'],
  ['http'],
  ['cli', 'graphql'],
  ['testing'],
];

/** Folders of a module that speak to a client and know the command and query bus only. */
export const transportLayers: readonly string[] = ['rest', 'graphql', 'cli'];

/** What the domain may import at run time: errors, what describes its data, and functions that depend on their arguments alone. */
export const domainImports: Readonly<Record<string, readonly string[]>> = {
  '#libs/database': ['columnTypes', 'optional'],
  '#libs/event-sourcing': ['Decider', 'readEventData', 'writeEventData'],
  '#libs/http': ['ApiDescription', 'IfGiven', 'inputNames', 'IsInt64', 'IsText', 'IsTime', 'IsWholeNumber', 'pick'],
  '#libs/observability': ['ApplicationError', 'errorCodes', 'FieldError', 'invalidMember', 'NotFoundError'],
  'node:crypto': ['createHmac', 'hash'],
  'node:zlib': ['crc32'],
  'class-validator': ['IsBoolean', 'IsIn'],
  typeorm: ['Column'],
};

/** The library that the domain may import types of. */
export const domainTypes = '#libs/event-sourcing';

/** What reads or writes stored events, read models and tables, by its name: the name of the library may stand for more. */
export const persistenceNames =
  /^(?:Aggregate|EventStore|EventRegistry|LogHistory|ReadModels|Repository|executeDecider|retryConflicts|Projection\w*|\w+Repository|read(?:Events|Log|StoredEvents)\w*)$/;
