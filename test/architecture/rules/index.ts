import type { Rule } from '../rule.js';
import { cycleRules } from './cycles.js';
import { libraryRules } from './libraries.js';
import { moduleRules } from './modules.js';
import { nameRules } from './names.js';

export const rules: readonly Rule[] = [...nameRules, ...libraryRules, ...moduleRules, ...cycleRules];
