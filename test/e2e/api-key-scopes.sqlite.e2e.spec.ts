import { CommandBus } from '@nestjs/cqrs';
import { EventStore } from '#libs/event-sourcing';
import { until } from '#libs/testing';
import { ChangeApiKey } from '../../src/auth/index.js';
import { systemActor } from '../../src/bootstrap/command-line/actor.js';
import { runHere } from './command-line.fixture.js';
import { startService, UNLIMITED, type Service } from './service.fixture.js';

const ONE_LINE = /^[^\n]+\n$/;

describe('the scopes of a key', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.close());

  const issue = (...scopes: string[]) => service.issueKey({ ...UNLIMITED, scopes });
  const list = (key: string) => service.client.get('/v1/pets', { key });
  const keys = (...words: (string | bigint)[]) => runHere(service.backend, ['keys', ...words.map(String)]);
  const printed = async (...words: (string | bigint)[]) => {
    const { code, stdout, stderr } = await keys(...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as object;
  };
  const refusal = async (...words: (string | bigint)[]) => {
    const { code, stdout, stderr } = await keys(...words);
    expect({ refused: code !== 0, stdout }).toEqual({ refused: true, stdout: '' });
    expect(stderr).toMatch(ONE_LINE);
    return stderr;
  };
  /** What the log tells of the scopes of a key since it was issued. */
  const changesOf = async (id: bigint) => {
    const [, ...events] = await service.app.get(EventStore).readStream(`api-key-${id}`);
    return events.map(({ type, data, metadata }) => ({ type, data, actor: metadata.actor }));
  };
  const changedTo = (...scopes: string[]) => ({ type: 'api-key-scopes-changed', data: { scopes }, actor: systemActor() });

  it('are in force after their change, which is one event', async () => {
    const { id, token } = await issue('graphql');
    expect((await list(token)).json()).toMatchObject({ status: 403, code: 'insufficient_scope' });
    expect(await printed('add-scope', id, 'pets')).toMatchObject({ id: Number(id), scopes: ['graphql', 'pets'] });
    await until(async () => (await list(token)).status === 200);
    expect(await printed('remove-scope', id, 'pets')).toMatchObject({ id: Number(id), scopes: ['graphql'] });
    await until(async () => (await list(token)).status === 403);
    // They outlive a rotation.
    expect(await printed('add-scope', id, 'pets')).toMatchObject({ scopes: ['graphql', 'pets'] });
    const { key } = (await printed('rotate', id)) as { readonly key: string };
    expect((await list(key)).status).toBe(200);
    expect(await printed('show', id)).toMatchObject({ scopes: ['graphql', 'pets'] });
    expect((await changesOf(id)).slice(0, 3)).toEqual([changedTo('graphql', 'pets'), changedTo('graphql'), changedTo('graphql', 'pets')]);
  });

  it('stay as they are, without an event, where the key has one already or lacks it', async () => {
    const { id } = await issue('pets');
    const shown = await printed('show', id);
    for (const words of [
      ['add-scope', id, 'pets'],
      ['remove-scope', id, 'graphql', '--json'],
    ]) {
      const { code, stdout, stderr } = await keys(...words);
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(`Nothing was changed: API key ${id} `) });
      expect(shown).toMatchObject(JSON.parse(stdout) as object);
    }
    expect(await changesOf(id)).toEqual([]);
  });

  it('are refused when there is no such scope or key, for a revoked key, and when none would be left', async () => {
    const { id, token } = await issue('pets');
    const revoked = await issue('pets');
    await service.app.get(CommandBus).execute(new ChangeApiKey({ type: 'revoke', id: revoked.id }, { metadata: { actor: 'system' } }));
    for (const change of ['add-scope', 'remove-scope']) {
      expect(await refusal(change, id, 'admin')).toContain("argument 'scope'. Allowed choices are pets, ");
      expect(await refusal(change, '999', 'graphql')).toContain('There is no API key 999');
      expect(await refusal(change, revoked.id, 'graphql')).toContain('is revoked');
      expect(await refusal(change, '01', 'graphql')).toContain('ID must be');
    }
    expect(await refusal('remove-scope', id, 'pets')).toContain(`API key ${id} has no scope but pets`);
    expect(await changesOf(id)).toEqual([]);
    expect((await list(token)).status).toBe(200);
  });

  it('never end when both are taken at the same time', async () => {
    const { id } = await issue('pets', 'graphql');
    const finished = await Promise.all(['pets', 'graphql'].map((scope) => keys('remove-scope', id, scope)));
    expect(finished.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(await changesOf(id)).toHaveLength(1);
  });
});
