import type { SampleRequest } from './code-samples.js';

/**
 * The request as a command for a POSIX shell. The key is taken from a variable of the environment, so the command can be shown and kept.
 * @param keyVariable the name of that variable
 */
export function curlCommand(request: SampleRequest, keyVariable: string): string;
