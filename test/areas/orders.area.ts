import { importSpecs } from './import-specs.js';

await importSpecs(['src/orders', 'src/pets']);
