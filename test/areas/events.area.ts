import { importSpecs } from './import-specs.js';

await importSpecs(['src/events', 'src/webhooks']);
