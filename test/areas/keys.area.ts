import { importArea } from './areas.js';

await importArea('keys');
