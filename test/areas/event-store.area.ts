import { importArea } from './areas.js';

await importArea('event-store');
