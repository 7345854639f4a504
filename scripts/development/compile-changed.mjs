import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const CONFIGURATION = 'tsconfig.build.json';

/**
 * Compiles those of the changed files that belong to the build, each by itself, as `isolatedModules` allows.
 * @returns whether there are any, and none has a mistake in its syntax; else nothing is written.
 */
export function compileChanged(paths) {
  const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(
    CONFIGURATION,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} },
  );
  const sources = [...paths].map((path) => resolve(path)).filter((path) => fileNames.includes(path));
  const outputs = sources.map((path) => [path, compile(path, options)]);
  if (outputs.length === 0 || outputs.some(([, { diagnostics }]) => diagnostics.length > 0)) return false;
  // What they say was built is so no longer: the next build must not believe the one, nor run its programs.
  rmSync(options.tsBuildInfoFile, { force: true });
  rmSync(join(options.outDir, 'programs'), { recursive: true, force: true });
  for (const [path, { outputText, sourceMapText }] of outputs) {
    const output = join(options.outDir, relative(options.rootDir, path).replace(/\.ts$/, '.js'));
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, outputText);
    writeFileSync(`${output}.map`, sourceMapText);
  }
  return true;
}

function compile(path, options) {
  // A single file does not show that it belongs to a package of ES modules.
  const compilerOptions = { ...options, module: ts.ModuleKind.ES2022, moduleResolution: ts.ModuleResolutionKind.Bundler };
  return ts.transpileModule(readFileSync(path, 'utf8'), { compilerOptions, fileName: path, reportDiagnostics: true });
}
