<?php

namespace Tillseal\Error;

/** 404: it does not exist, or is not yours. */
final class NotFoundException extends ProblemException {}
