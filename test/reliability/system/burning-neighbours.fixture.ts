import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

/** Ends with the process that started it, however that ends. */
const BURN = 'const parent = process.ppid; console.log("burns"); while (process.ppid === parent);';

/** Processes of others on this machine that take all they can get of every core. */
export interface BurningNeighbours {
  stop(): Promise<void>;
}

/** Resolves when all of them burn. */
export async function startBurningNeighbours(): Promise<BurningNeighbours> {
  const burners = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', BURN], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  await Promise.all(burners.map((burner) => once(burner.stdout, 'data')));
  return {
    async stop() {
      await Promise.all(
        burners.map(async (burner) => {
          const ended = once(burner, 'exit');
          burner.kill('SIGKILL');
          await ended;
        }),
      );
    },
  };
}
