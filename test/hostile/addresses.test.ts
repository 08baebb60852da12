import { attackAddresses } from './address-attacks.ts';
import { eighth } from './attacked-service.ts';

attackAddresses(eighth);
