<?php

declare(strict_types=1);

namespace Tillseal\Error;

/** 429 and 5xx: not now. Send the same request again after `$retryAfter` seconds. */
final class Unavailable extends Problem
{
}
