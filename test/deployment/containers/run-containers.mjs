// Builds the image and tests it as docker compose runs it. Usage: npm run test:containers -- [--without-engine] [ARGUMENT of Jest...]
// The engine is the one that docker uses, at DOCKER_HOST or the machine's own. --without-engine makes it no failure that there is none.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

const WITHOUT_ENGINE = '--without-engine';
const jestArguments = process.argv.slice(2).filter((argument) => argument !== WITHOUT_ENGINE);
// Apart from what else this engine runs, and from another run beside this one.
const name = `adoption-test-${process.pid}`;
const environment = { ...process.env, CONTAINERS_NAME: name };
const imageOf = (version) => `animal-adoption-service:${name}.${version}`;

const problem = problemOfEngine();
if (problem === undefined) {
  // Both go to the whole group of a terminal: Jest ends by it, and what it leaves is removed here.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
  try {
    buildImages();
    process.exitCode = await runTests();
  } finally {
    removeAll();
  }
} else if (process.argv.includes(WITHOUT_ENGINE)) {
  console.error(`\nNOT RUN: the tests of the image and of docker compose, because ${problem}\n`);
} else {
  console.error(
    `${problem}\nThese tests need a container engine with docker compose. Without one, say ${WITHOUT_ENGINE}; CONTRIBUTING.md tells more.`,
  );
  process.exitCode = 1;
}

function problemOfEngine() {
  try {
    docker('version', '--format', '{{.Server.Version}}');
    docker('compose', 'version');
    return undefined;
  } catch (error) {
    return `no container engine with docker compose answers here: ${String(error.stderr ?? error.message).trim()}`;
  }
}

/** The image of this folder, the same as if it were the next version, and one that does not start. */
function buildImages() {
  const words = ['compose', '--profile', 'production', 'build', 'production'];
  execFileSync('docker', words, { stdio: 'inherit', env: { ...environment, ADOPTION_VERSION: `${name}.1` } });
  changeImage(2, 'LABEL org.opencontainers.image.version=2');
  changeImage(3, 'CMD ["false"]');
}

function changeImage(version, instruction) {
  const container = docker('create', imageOf(1)).trim();
  docker('commit', '--change', instruction, container, imageOf(version));
  docker('rm', '--volumes', container);
}

async function runTests() {
  const jest = spawn(process.execPath, ['scripts/run-tests.mjs', 'containers', ...jestArguments], { stdio: 'inherit', env: environment });
  const [code] = await once(jest, 'exit');
  return code ?? 1;
}

/** What tests leave that were cut short restarts for ever. */
function removeAll() {
  for (const kind of ['container', 'volume', 'network']) {
    const found = lines(kind, 'ls', '--quiet', ...(kind === 'container' ? ['--all'] : []), '--filter', `name=${name}`);
    if (found.length > 0) docker(kind, 'rm', '--force', ...found);
  }
  docker('image', 'rm', '--force', ...lines('image', 'ls', '--format', '{{.Repository}}:{{.Tag}}', `animal-adoption-service:${name}.*`));
}

function lines(...words) {
  return docker(...words)
    .split('\n')
    .filter((line) => line !== '');
}

function docker(...words) {
  return execFileSync('docker', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: environment });
}
