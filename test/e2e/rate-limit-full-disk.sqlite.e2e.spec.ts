import { Database, raw } from '#libs/database';
import { toldLimits } from './rate-limit.fixture.js';
import { startService, type Service } from './service.fixture.js';

const PETS = '/v1/pets';
const REX = { name: 'Rex', categoryId: 7 };

describe('the rate-limit headers while the disk is full', () => {
  let service: Service;
  beforeEach(async () => (service = await startService()));
  afterEach(() => service.close());

  const execute = (statement: string) => service.app.get(Database).write((transaction) => transaction.query(raw(statement)));

  it('are there on 503', async () => {
    await execute('PRAGMA max_page_count = 1');
    const body = { ...REX, name: 'x'.repeat(255) };
    let answer = await service.client.post(PETS, body);
    for (let attempt = 0; answer.status === 201 && attempt < 500; attempt += 1) answer = await service.client.post(PETS, body);
    expect([answer.status, toldLimits(answer).limit]).toEqual([503, 1_000_000]);
    await execute('PRAGMA max_page_count = 1000000');
  });
});
