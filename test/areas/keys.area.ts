import { importSpecs } from './import-specs.js';

await importSpecs(['src/auth', 'src/keys', 'src/rate-limiting']);
