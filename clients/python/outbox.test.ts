import { describeScenarios } from '../scenarios/describe-scenarios.ts';

describeScenarios('python');
