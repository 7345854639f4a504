import { importSpecs } from './import-specs.js';

await importSpecs(['libs']);
