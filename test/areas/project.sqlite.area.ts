import { importSpecs } from './import-specs.js';

await importSpecs([
  'generator',
  'src/bootstrap',
  'src/config',
  'src/console',
  'src/operations',
  'test/architecture',
  'test/builds',
  'test/deployment',
  'test/documents',
  'test/reliability',
]);
