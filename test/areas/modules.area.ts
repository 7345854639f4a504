import { importArea } from './areas.js';

await importArea('modules');
