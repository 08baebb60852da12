import { describeScenarios } from './describe-scenarios.ts';

describeScenarios('php');
describeScenarios('python');
