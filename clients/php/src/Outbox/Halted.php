<?php

declare(strict_types=1);

namespace Tillseal\Outbox;

use Tillseal\Error\Problem;

/** The token was refused. Nothing is sent until `resume`. */
final class Halted
{
    public function __construct(
        public readonly Problem $problem,
    ) {
    }
}
