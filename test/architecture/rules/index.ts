import type { Rule } from '../rule.js';
import { fileNamesRule } from './file-names.rule.js';
import { knownLibrariesRule } from './known-libraries.rule.js';
import { librariesThroughIndexRule } from './libraries-through-index.rule.js';
import { librariesWithoutSourceRule } from './libraries-without-source.rule.js';
import { libraryDirectionRule } from './library-direction.rule.js';
import { moduleDependenciesRule } from './module-dependencies.rule.js';
import { noFileCyclesRule } from './no-file-cycles.rule.js';
import { noRoomCyclesRule } from './no-room-cycles.rule.js';
import { noTestCodeRule } from './no-test-code.rule.js';
import { packagesAloneRule } from './packages-alone.rule.js';
import { pureDomainRule } from './pure-domain.rule.js';
import { sourceThroughIndexRule } from './source-through-index.rule.js';
import { tellingNamesRule } from './telling-names.rule.js';
import { transportThroughBusesRule } from './transport-through-buses.rule.js';

export const rules: readonly Rule[] = [
  fileNamesRule,
  knownLibrariesRule,
  librariesThroughIndexRule,
  librariesWithoutSourceRule,
  libraryDirectionRule,
  moduleDependenciesRule,
  noFileCyclesRule,
  noRoomCyclesRule,
  noTestCodeRule,
  packagesAloneRule,
  pureDomainRule,
  sourceThroughIndexRule,
  tellingNamesRule,
  transportThroughBusesRule,
];
