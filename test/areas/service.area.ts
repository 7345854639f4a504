import { importSpecs } from './import-specs.js';

await importSpecs(['test/e2e']);
