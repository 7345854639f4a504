import { readFileSync } from 'node:fs';
import { renderSchema } from '../../src/graphql/index.js';
import { startService } from './service.fixture.js';

describe('schema.graphql', () => {
  it('is the schema of the service; "npm run graphql:schema" writes it', async () => {
    const service = await startService();
    try {
      expect(readFileSync('schema.graphql', 'utf8')).toBe(renderSchema(service.app));
    } finally {
      await service.close();
    }
  });
});
