<?php

declare(strict_types=1);

namespace Tillseal\Error;

/** The base of everything that this package throws on purpose. */
abstract class TillsealError extends \RuntimeException
{
}
