import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';

describe('an argument that is not UTF-8', () => {
  it('is refused by the name of its option', async () => {
    const command = `exec ${process.execPath} ${resolve('scripts/run-built.mjs')} cli events list --stream "$(printf 'caf\\351')"`;
    const ended = await new Promise((settle) =>
      execFile('sh', ['-c', command], { cwd: makeTemporaryFolder('argument-bytes') }, (error, stdout, stderr) =>
        settle({ code: error?.code, stdout, stderr }),
      ),
    );
    expect(ended).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('--stream must be text in UTF-8') });
  });
});
