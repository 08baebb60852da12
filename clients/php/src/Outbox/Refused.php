<?php

declare(strict_types=1);

namespace Tillseal\Outbox;

use Tillseal\Error\Problem;

/** It is parked. `discard` it and sell a corrected one, or mend the cause and `retry` it. */
final class Refused
{
    public function __construct(
        public readonly string $reference,
        public readonly Problem $problem,
    ) {
    }
}
